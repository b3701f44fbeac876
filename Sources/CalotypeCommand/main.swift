print("calotype")

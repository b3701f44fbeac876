/// Text in HTML, SVG and Markdown.
enum Markup {
    /// Returns text that is safe in HTML and SVG, also in attributes in double quotes. Control characters, which XML
    /// does not allow, become spaces.
    static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "\u{0}"..<" ", "\u{7F}"..<"\u{A0}", "\u{FFFE}", "\u{FFFF}": result += " "
            default: result.unicodeScalars.append(scalar)
            }
        }
    }

    /// Returns text that is safe in a cell of a Markdown table.
    static func markdown(_ text: String) -> String {
        escaped(text).reduce(into: "") { result, character in
            if "\\|`*_[]".contains(character) { result += "\\" }
            result.append(character)
        }
    }
}

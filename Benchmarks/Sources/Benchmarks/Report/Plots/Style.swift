/// The colours and sizes of the report, for light and dark.
enum Style {
    /// What the plots need.
    static let plots = """
        :root{--paper:#fff;--ink:#1d2327;--dim:#5f6b75;--grid:#dde3e8;--own:#0b66c3;--over:#c92a2a;\
        --p1:#c2610c;--p2:#22794a;--p3:#8250c4;--p4:#7c6f1b;--p5:#6b7680}
        @media(prefers-color-scheme:dark){:root{--paper:#14181b;--ink:#e6e9ec;--dim:#9aa5ae;--grid:#333c44;--own:#5fadff;\
        --over:#ff7b7b;--p1:#ffa24f;--p2:#63c790;--p3:#c09bf2;--p4:#d6c65c;--p5:#a9b3bb}}
        .paper{fill:var(--paper)}
        svg{font:11px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
        text{fill:var(--ink);paint-order:stroke;stroke:var(--paper);stroke-width:3px} text.dim{fill:var(--dim)} text.bold{font-weight:600}
        text.own{fill:var(--own)} text.over{fill:var(--over)}
        polyline{fill:none;stroke-linecap:round;stroke-linejoin:round}
        polyline.grid{stroke:var(--grid)} polyline.dim{stroke:var(--dim)}
        polyline.own{stroke:var(--own)} polyline.over{stroke:var(--over)}
        polyline.peer1{stroke:var(--p1)} polyline.peer2{stroke:var(--p2)} polyline.peer3{stroke:var(--p3)}
        polyline.peer4{stroke:var(--p4)} polyline.peer5{stroke:var(--p5)}
        circle.own{fill:var(--own);stroke:var(--own)} circle.over{fill:var(--over);stroke:var(--over)}
        circle.peer1{fill:var(--p1);stroke:var(--p1)} circle.peer2{fill:var(--p2);stroke:var(--p2)}
        circle.peer3{fill:var(--p3);stroke:var(--p3)} circle.peer4{fill:var(--p4);stroke:var(--p4)}
        circle.peer5{fill:var(--p5);stroke:var(--p5)} circle.hollow{fill:var(--paper)}
        """

    static let page = """
        *{box-sizing:border-box}
        body{margin:0 auto;padding:1.25rem;max-width:1180px;background:var(--paper);color:var(--ink);\
        font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:anywhere}
        h1{font-size:1.6rem;margin:.2rem 0 1rem} h2{font-size:1.25rem;margin:2.2rem 0 .6rem} h2 small{font-weight:400;color:var(--dim)}
        dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem;margin:0} dt{color:var(--dim)} dd{margin:0}
        @media(max-width:600px){dl{grid-template-columns:1fr;gap:0} dd{margin-bottom:.4rem}} nav{margin-top:1rem}
        .plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,460px),1fr));gap:1.2rem;align-items:start}
        .plots svg{width:100%;max-width:580px;height:auto;display:block}
        .scroll{overflow-x:auto} table{border-collapse:collapse;font-size:.85rem} th,td{padding:.25rem .6rem;text-align:left;\
        border-bottom:1px solid var(--grid);white-space:nowrap} td.number,th.number{text-align:right;font-variant-numeric:tabular-nums}
        td.over,li.over{color:var(--over)} summary{cursor:pointer;color:var(--dim);margin:.6rem 0}
        code{background:var(--grid);padding:.1em .35em;border-radius:4px} nav a{margin-right:.9rem} a{color:var(--own)}
        .note{color:var(--dim)}
        """
}

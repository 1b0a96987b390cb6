/** The style of an exploration's page, for light and dark windows. */
export const pageStyle = `
:root { color-scheme: light dark; --good: #1a7f37; --bad: #cf222e; --odd: #9a6700; --line: #8884; }
@media (prefers-color-scheme: dark) { :root { --good: #3fb950; --bad: #ff7b72; --odd: #d29922; } }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; padding: 0 1rem; max-width: 70rem; }
h2 { font-size: 1.1rem; margin: 1.5rem 0 .5rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 13px; }
td, th { border: 1px solid var(--line); padding: .15rem .5rem; text-align: center; font-weight: normal; }
thead td { border: 0; }
tbody th { text-align: left; font-family: ui-monospace, monospace; white-space: nowrap; }
thead th { vertical-align: bottom; }
thead th span { writing-mode: vertical-rl; transform: rotate(180deg); white-space: nowrap; }
a { color: inherit; }
td a { display: block; text-decoration: none; font-weight: bold; }
.survived { color: var(--good); }
.failed { color: var(--bad); font-weight: bold; }
td.failed { outline: 2px solid var(--bad); outline-offset: -2px; }
.testFails, .unstable, .known { color: var(--odd); }
.notRun { opacity: .6; }
.failure { border-left: 4px solid var(--bad); padding: 0 1rem; margin: 1rem 0; }
.failure h2 { color: var(--bad); }
dl { display: grid; grid-template-columns: 4rem 1fr; margin: 0; }
dd { margin: 0; overflow-wrap: anywhere; }
pre { overflow-x: auto; }
`;

# SPDX-License-Identifier: GPL-3.0-or-later
"""perfs that are not there: programs that print what perfs of other versions print, or nonsense.

They run what they are told to, and count 2 cycles:u an iteration and as many instructions:u
as the loops of conftest have."""

# A shape: the printf of one row (value, event), then what else stands in the file.
ROWS = {
    "4": "{value};;{event};1000000;100.00;;\\n",
    "5": "{value};;{event};1000000;100.00;1.50;insn per cycle\\n",
    "6": "{value};;{event};1000000;100.00;1.50;insn per cycle\\n;;;;;;;0.50;more of it\\n",
    "repeated": "{value};;{event};0.01%%;1000000;100.00;;\\n",
    "interval": "     1.000123456;{value};;{event};1000000;100.00;;\\n",
    "wide": "{value};;{event};1000000;100.00;1.5;insn per cycle;a;b;c;d;e\\n",
    "hybrid": "{value};;cpu_core/{event}/;1000000;100.00;;\\n"
              "<not counted>;;cpu_atom/{event}/;0;0.00;;\\n",
    "crlf": "{value};;{event};1000000;100.00;;\\r\\n",
    "before 3.14": "{value};{event}\\n",
    "comma": "{value},5;;{event};1000000;100,00;;\\n",
    "sum of bits": "18446744073709551615;;{event};1000000;100.00;;\\n",
    "nothing": "",
    "garbage": "\\377\\376not a number;;;%%;\\033[2J;{event};;;;\\n",
    "nul": "{value};;{event}\\000;1000000;100.00;;\\n",
    "cut off": "{value};;{event};10",
    "not supported": "<not supported>;;{event};0;100.00;;\\n",
}

SCRIPT = r"""#!/bin/sh
[ "$1" = --version ] && { echo "perf version fake"; exit 0; }
%(first)s
case "$*" in *.links16\ *) per=18 ;; *) per=66 ;; esac
while [ $# -gt 0 ]; do
    case $1 in
    -o) out=$2; shift ;;
    -e) events=$(printf %%s "$2" | sed 's/[{}]//g; :a; s#\(/[^/]*\),\([^/]*/\)#\1@\2#; ta
                                       s/,/ /g; s/@/,/g'); shift ;;
    --) shift; break ;;
    esac
    shift
done
"$@"
status=$?
for last; do :; done
case $last in *[!0-9]*) last=1000 ;; esac
printf '# started on Mon Nov 30 09:00:00 2026\n\n' >"$out"
for event in $events; do
    case $event in cycles:u) value=$((2 * last)) ;; *) value=$((per * last)) ;; esac
    printf "%(row)s" >>"$out"
done
exit $status
"""


def write(folder, shape="5", first=""):
    """Put a fake perf of that shape into the folder; `first` is run before anything else."""
    folder.mkdir(exist_ok=True)
    row = ROWS[shape].replace("{value}", "$value").replace("{event}", "$event")
    path = folder / "perf"
    path.write_text(SCRIPT % {"row": row, "first": first})
    path.chmod(0o755)
    return folder

import type { Place } from './places.ts'

const SHELL_PREAMBLES = { bash: '', zsh: 'autoload -U +X bashcompinit && bashcompinit\n' } as const

/** For bash 3.2 and later, and for zsh through its emulation of bash's completion. */
export const bashScript = (shell: keyof typeof SHELL_PREAMBLES, places: readonly Place[]): string =>
  `${SHELL_PREAMBLES[shell]}_sonant_at() {
  inner='' flags='' valued=''
  case "$1" in
${places.map(placeCase).join('\n')}
  esac
}
_sonant() {
  local inner flags valued word place='' taker='' given=0 ended='' offers=''
  local typed="\${COMP_WORDS[COMP_CWORD]}"
  _sonant_at ''
  for word in "\${COMP_WORDS[@]:1:$((COMP_CWORD - 1))}"; do
    if [ "$word" = '=' ]; then continue; fi
    if [ -n "$taker" ]; then taker=''; continue; fi
    if [ -z "$ended" ]; then
      case "$word" in
        --) ended=yes; continue ;;
        -*) case " $valued " in *" $word "*) taker="$word" ;; esac; continue ;;
      esac
      case " $inner " in *" $word "*) place="\${place:+$place }$word"; _sonant_at "$place"; continue ;; esac
    fi
    given=$((given + 1))
  done
  if [ "$typed" = '=' ]; then typed=''; fi
  case "$place \${taker:-$given}" in
${places.flatMap(choiceCases).join('\n')}
    *) if [ -z "$taker" ]; then offers="$inner"; fi ;;
  esac
  if [ -z "$taker$ended" ]; then
    case "$typed" in -*) offers="$flags" ;; esac
  fi
  COMPREPLY=($(compgen -W "$offers" -- "$typed"))
}
complete -o default -F _sonant sonant
`

function placeCase({ path, commands, options }: Place): string {
  const flags = options.map(({ long }) => `--${long}`)
  const valued = options.flatMap(({ long, short, value }) =>
    value === 'none' ? [] : [`--${long}`, ...(short === null ? [] : [`-${short}`])],
  )
  const lists = { inner: commands, flags, valued }
  const set = Object.entries(lists).flatMap(([name, words]) =>
    words.length > 0 ? [`${name}='${words.join(' ')}'`] : [],
  )
  return `    '${path}') ${set.join(' ')} ;;`
}

function choiceCases({ path, options, arguments: taken }: Place): string[] {
  const ofOptions = options.flatMap(({ long, short, choices }) => {
    const names = [`--${long}`, ...(short === null ? [] : [`-${short}`])]
    return choices.length > 0 ? [[names.map((name) => `'${path} ${name}'`).join('|'), choices] as const] : []
  })
  const ofArguments = taken.flatMap((choices, at) =>
    choices.length > 0 ? [[`'${path} ${at}'`, choices] as const] : [],
  )
  return [...ofOptions, ...ofArguments].map(([pattern, choices]) => `    ${pattern}) offers='${choices.join(' ')}' ;;`)
}

import { Argument, type Command, Help, type Option } from 'commander'

const SHELLS = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof SHELLS)[number]

const FILE = /<(file|dir)>/
const SHELL_PREAMBLES = { bash: '', zsh: 'autoload -U +X bashcompinit && bashcompinit\n' } as const

/** A place on the command line: the words that lead there and the words that may follow. */
interface Place {
  readonly path: string
  readonly commands: readonly string[]
  readonly options: readonly PlacedOption[]
  readonly arguments: readonly (readonly string[])[]
}

interface PlacedOption {
  readonly long: string
  readonly short: string | null
  readonly value: 'none' | 'file' | 'other'
  readonly choices: readonly string[]
}

export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('print a completion script: source <(sonant completion bash), or sonant completion fish | source')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .action((shell: Shell) => {
      const places = placesOf(program)
      process.stdout.write(shell === 'fish' ? fishScript(places) : bashScript(shell, places))
    })
}

const placesOf = (command: Command, path = ''): Place[] => [
  {
    path,
    commands: command.commands.map((inner) => inner.name()),
    options: new Help().visibleOptions(command).flatMap(placedOption),
    arguments: command.registeredArguments.map(({ argChoices }) => argChoices ?? []),
  },
  ...command.commands.flatMap((inner) => placesOf(inner, `${path} ${inner.name()}`.trim())),
]

function placedOption({ long, short, flags, required, optional, argChoices }: Option): PlacedOption[] {
  if (!long) return []
  const value = FILE.test(flags) ? 'file' : 'other'
  return [
    {
      long: long.slice(2),
      short: short ? short.slice(1) : null,
      value: required || optional ? value : 'none',
      choices: argChoices ?? [],
    },
  ]
}

/** For bash 3.2 and later, and for zsh through its emulation of bash's completion. */
const bashScript = (shell: keyof typeof SHELL_PREAMBLES, places: readonly Place[]): string =>
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

/** For fish 3.0 and later. */
function fishScript(places: readonly Place[]): string {
  const known = places.filter(({ path }) => path !== '').map(({ path }) => `'${path}'`)
  return `function __sonant_at
    set -l place
    for word in (commandline -opc)
        set -l next (string join -- ' ' $place $word)
        contains -- $next ${known.join(' ')}; and set place $next
    end
    test "$place" = "$argv"
end
${places.flatMap(placeLines).join('\n')}
`
}

function placeLines({ path, commands, options, arguments: taken }: Place): string[] {
  const complete = `complete -c sonant -n '${`__sonant_at ${path}`.trim()}'`
  const words = [commands, ...taken].flat()
  return [
    ...(words.length > 0 ? [`${complete} -f -a '${words.join(' ')}'`] : []),
    ...options.map((option) => `${complete} ${optionFlags(option)}`),
  ]
}

function optionFlags({ long, short, value, choices }: PlacedOption): string {
  const names = [...(short === null ? [] : [`-s ${short}`]), `-l ${long}`].join(' ')
  const taken = { none: '', file: ' -r', other: ' -x' }[value]
  return `${names}${taken}${choices.length > 0 ? ` -a '${choices.join(' ')}'` : ''}`
}

import { type Command, Help, type Option } from 'commander'

/** A file or directory: what the shell itself completes. */
const FILE = /<(file|dir)>/

/** One place on the command line: the words that lead there, and what may follow. */
export interface Place {
  /** `jobs list`; empty for `sonant` itself. */
  readonly path: string
  readonly commands: readonly string[]
  readonly options: readonly PlacedOption[]
  /** The choices of each argument, empty where it may be anything. */
  readonly arguments: readonly (readonly string[])[]
}

/** An option of a command, as the shell completes it. */
export interface PlacedOption {
  /** Without its dashes. */
  readonly long: string
  readonly short: string | null
  readonly value: 'none' | 'file' | 'other'
  /** Of its value; empty where that may be anything. */
  readonly choices: readonly string[]
}

/** A command's own place, and those of all commands in it. */
export const placesOf = (command: Command, path = ''): Place[] => [
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

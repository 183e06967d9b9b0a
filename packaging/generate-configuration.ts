import type { z } from 'zod'
import { SETTINGS } from '../src/context/settings-schema.ts'

const HEAD = `<!-- Written by "npm run codegen" from src/context/settings-schema.ts. -->

# Configuration

Settings are environment variables. A start checks all of them and reports every violation at once. Each may also be given as \`NAME_FILE\`, the path of a file
that holds the value. A command line reads the same variables: see [command line](command-line.md).
`
const WHOLE_NUMBER = /^must be a whole number (from \d+ to \d+)$/
/** A value that no variable with a rule takes. */
const WRONG = '\0'

/** The structure of a field that the table is made of; zod's own types hide it. */
interface Definition {
  readonly type: string
  readonly defaultValue?: unknown
  readonly innerType?: z.ZodType
  readonly in?: z.ZodType
}

/** docs/configuration.md: every environment variable with its default and its description. */
export function generateConfiguration(): string {
  return (
    HEAD +
    Object.entries(SETTINGS)
      .map(([title, fields]) => section(title, fields))
      .join('')
  )
}

function section(title: string, fields: Readonly<Record<string, z.ZodType>>): string {
  const rows = Object.entries(fields).map(
    ([name, field]) => `| \`${name}\` | ${shownDefault(field)} | ${describe(name, field)} |\n`,
  )
  return `\n## ${title}\n\n| Variable | Default | What it sets |\n|---|---|---|\n${rows.join('')}`
}

function describe(name: string, field: z.ZodType): string {
  if (field.description === undefined) throw new Error(`${name} has no description in src/context/settings-schema.ts`)
  const [, range] = WHOLE_NUMBER.exec(field.safeParse(WRONG).error?.issues[0]?.message ?? '') ?? []
  return range === undefined ? field.description : `${field.description} A whole number ${range}.`
}

function shownDefault(field: z.ZodType): string {
  const value = defaultOf(field)
  return value === undefined || value === '' ? 'none' : `\`${String(value)}\``
}

function defaultOf(field: z.ZodType): unknown {
  const definition = field.def as Definition
  if (definition.type === 'default') return definition.defaultValue
  const inner = definition.innerType ?? definition.in
  return inner === undefined ? undefined : defaultOf(inner)
}

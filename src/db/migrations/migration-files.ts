import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const MIGRATIONS = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url))

export interface TableLock {
  readonly table: string
  readonly mode: (typeof MODES)[number]
}

const MODES = [
  ...(['ACCESS SHARE', 'ROW SHARE', 'ROW EXCLUSIVE', 'SHARE UPDATE EXCLUSIVE', 'SHARE'] as const),
  ...(['SHARE ROW EXCLUSIVE', 'EXCLUSIVE', 'ACCESS EXCLUSIVE'] as const),
] as const
const LOCKS = /^-- locks: (.*)$/gm

const MARK = /^-- (in one transaction|concurrently|in pages)[ \t]*$/m
const KINDS = { 'in one transaction': 'transaction', concurrently: 'concurrently', 'in pages': 'pages' } as const
const REPEATABLE =
  /^(create statistics if not exists|create (unique )?index concurrently "?\w+"? on|drop index concurrently if exists|alter table (only )?"?\w+"? validate constraint|vacuum|analyze)\b/i

const MADE = /^create (?:unlogged )?(?:table|sequence) (?:if not exists )?"?(\w+)\b(?!"? partition of )/gim

export interface Migration {
  readonly name: string
  readonly checksum: string
  readonly sql: string
  readonly steps: readonly Step[]
}

/**
 * `transaction`: statements that commit with their place in the ledger. `concurrently`: one statement outside a transaction.
 * `pages`: one statement repeated until it returns no cursor; each page commits with its cursor.
 */
export interface Step {
  readonly kind: 'transaction' | 'concurrently' | 'pages'
  readonly sql: string
  /** As its lines `-- locks: job (ACCESS EXCLUSIVE), account (SHARE ROW EXCLUSIVE)` declare them. */
  readonly locks: readonly TableLock[]
}

export async function migrationNames(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
}

export async function readMigration(folder: string, name: string): Promise<Migration> {
  const sql = await readFile(join(folder, name, 'migration.sql'), 'utf8')
  return { name, checksum: createHash('sha256').update(sql).digest('hex'), sql, steps: stepsOf(sql) }
}

/**
 * Splits a migration file at its lines `-- concurrently`, `-- in pages` and `-- in one transaction`; without marks it is one
 * transaction.
 * @throws if a step outside a transaction cannot be repeated, or a declared lock is none
 */
export function stepsOf(sql: string): readonly Step[] {
  const [before = '', ...marked] = sql.split(MARK)
  const steps: Step[] = isEmpty(before) ? [] : [stepOf('transaction', before)]
  for (let at = 0; at < marked.length; at += 2) {
    const kind = KINDS[marked[at] as keyof typeof KINDS]
    const text = marked[at + 1] ?? ''
    if (kind === 'concurrently') steps.push(...statementsOf(text).map(toRepeatable))
    else if (!isEmpty(text)) steps.push(stepOf(kind, text))
  }
  return steps.length === 0 ? [stepOf('transaction', sql)] : steps
}

const stepOf = (kind: Step['kind'], sql: string): Step => ({ kind, sql, locks: locksOf(sql) })

const locksOf = (sql: string): TableLock[] =>
  [...sql.matchAll(LOCKS)].flatMap(([, list = '']) => list.trim().split(/ *, */).map(toLock))

function toLock(text: string): TableLock {
  const [, table, words] = /^(\w+) \(([A-Z ]+)\)$/.exec(text) ?? []
  const mode = MODES.find((one) => one === words)
  if (table === undefined || mode === undefined) throw new Error(`Not the lock of a table: ${text}`)
  return { table, mode }
}

function toRepeatable(text: string): Step {
  const sql = withoutComments(text).trim()
  if (REPEATABLE.test(sql.replace(/\s+/g, ' '))) return { ...stepOf('concurrently', text), sql }
  throw new Error(`Not to be run outside of a transaction: ${sql.slice(0, 100)}`)
}

const statementsOf = (text: string): string[] =>
  text
    .replace(/^[ \t]*--(?! locks: ).*$/gm, '')
    .split(/;[ \t]*$/m)
    .filter((statement) => !isEmpty(statement))

const withoutComments = (sql: string): string => sql.replace(/^[ \t]*--.*$/gm, '')

const isEmpty = (sql: string): boolean => withoutComments(sql).trim() === ''

/** Tables and sequences that the migrations create. Null if a migration belongs to a newer program. */
export async function namesMadeBy(migrations: readonly string[]): Promise<ReadonlySet<string> | null> {
  const known = await migrationNames(MIGRATIONS)
  if (migrations.some((name) => !known.includes(name))) return null
  const files = await Promise.all(migrations.map((name) => readMigration(MIGRATIONS, name)))
  return new Set(files.flatMap(({ sql }) => [...sql.matchAll(MADE)].map(([, name = '']) => name)))
}

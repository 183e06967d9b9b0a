/**
 * `transaction`: statements that commit with their place in the ledger. `concurrently`: one statement outside a transaction.
 * `pages`: one statement repeated until it returns no cursor; each page commits with its cursor.
 */
export interface Step {
  readonly kind: 'transaction' | 'concurrently' | 'pages'
  readonly sql: string
}

const MARK = /^-- (in one transaction|concurrently|in pages)[ \t]*$/m
const KINDS = { 'in one transaction': 'transaction', concurrently: 'concurrently', 'in pages': 'pages' } as const
const REPEATABLE =
  /^(create statistics if not exists|create (unique )?index concurrently "?\w+"? on|drop index concurrently if exists|alter table (only )?"?\w+"? validate constraint|vacuum|analyze)\b/i

/**
 * Splits a migration file at its lines `-- concurrently`, `-- in pages` and `-- in one transaction`; without marks it is one
 * transaction.
 * @throws if a step outside a transaction cannot be repeated
 */
export function stepsOf(sql: string): readonly Step[] {
  const [before = '', ...marked] = sql.split(MARK)
  const steps: Step[] = isEmpty(before) ? [] : [{ kind: 'transaction', sql: before }]
  for (let at = 0; at < marked.length; at += 2) {
    const kind = KINDS[marked[at] as keyof typeof KINDS]
    const text = marked[at + 1] ?? ''
    if (kind === 'concurrently') steps.push(...statementsOf(text).map(toRepeatable))
    else if (!isEmpty(text)) steps.push({ kind, sql: text })
  }
  return steps.length === 0 ? [{ kind: 'transaction', sql }] : steps
}

function toRepeatable(sql: string): Step {
  if (REPEATABLE.test(sql.replace(/\s+/g, ' '))) return { kind: 'concurrently', sql }
  throw new Error(`Not to be run outside of a transaction: ${sql.slice(0, 100)}`)
}

const statementsOf = (text: string): string[] =>
  withoutComments(text)
    .split(/;[ \t]*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')

export const withoutComments = (sql: string): string => sql.replace(/^[ \t]*--.*$/gm, '')

const isEmpty = (sql: string): boolean => withoutComments(sql).trim() === ''

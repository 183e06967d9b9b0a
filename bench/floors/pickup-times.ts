import { subscribe } from 'node:diagnostics_channel'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { threadId } from 'node:worker_threads'
import { Client, type Notification } from 'pg'
import { type AnsweredRow, now, watchStatements } from './watch-statements.ts'

// Loaded before the service: notes when requests come, when the statements on a job's way to its claim begin and are answered, and when a
// notification of the queue arrives. Each thread writes them to a file of TIMES_DIR when it ends.

const STATEMENT = /^(authenticate|insert_job|insert_taken_job|claim_queued_rows|claim_jobs)\b/
const CHANNEL = 'sonant_queue'

/** Milliseconds since 1970, with fractions: the same in every process. */
export interface PickupTimes {
  readonly requests: number[]
  readonly notifications: number[]
  readonly statements: Statement[]
}

export interface Statement {
  readonly name: string
  readonly begun: number
  readonly answered: number
  /** The jobs that it inserts or has claimed. */
  readonly jobIds: readonly string[]
}

const times: PickupTimes = { requests: [], notifications: [], statements: [] }

subscribe('http.server.request.start', () => times.requests.push(now()))
process.once('exit', () => {
  writeFileSync(join(process.env.TIMES_DIR!, `${process.pid}-${threadId}.json`), JSON.stringify(times))
})

watchStatements(STATEMENT, ({ name, values, begun, answered, rows }) => {
  const jobIds = name.startsWith('insert') ? insertedBy(values, rows) : claimedBy(name, rows)
  times.statements.push({ name, begun, answered, jobIds })
})

type Connect = (this: Client, ...given: unknown[]) => unknown
const { connect } = Client.prototype as unknown as { connect: Connect }
const listening: Connect = function (this: Client, ...given) {
  this.on('notification', ({ channel }: Notification) => {
    if (channel === CHANNEL) times.notifications.push(now())
  })
  return connect.apply(this, given)
}
Object.assign(Client.prototype, { connect: listening })

/** One that is to be claimed with its insertion, and was not, is claimed later. */
function insertedBy(values: readonly unknown[], rows: readonly AnsweredRow[]): string[] {
  const isRefused = (id: string) => rows.some((row) => row.id === id && row.funded === false)
  return (values[0] as string[]).filter((id) => !isRefused(id))
}

/** `claim_queued_rows` also answers jobs that it took from the queue and did not claim: they have no `id`, and do not count. */
const claimedBy = (name: string, rows: readonly AnsweredRow[]): string[] =>
  rows.flatMap(({ id, queued_job, funded }) => {
    if (name === 'claim_jobs') return funded === true ? [String(id)] : []
    return id == null ? [] : [String(queued_job)]
  })

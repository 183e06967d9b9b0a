import { subscribe } from 'node:diagnostics_channel'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { threadId } from 'node:worker_threads'
import { Client, type Notification } from 'pg'

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

type Row = Readonly<Record<string, unknown>>
type Answer = { readonly rows: readonly Row[] } | undefined
type Query = (this: Client, ...given: unknown[]) => unknown

const times: PickupTimes = { requests: [], notifications: [], statements: [] }
const now = () => performance.timeOrigin + performance.now()

subscribe('http.server.request.start', () => times.requests.push(now()))
process.once('exit', () => {
  writeFileSync(join(process.env.TIMES_DIR!, `${process.pid}-${threadId}.json`), JSON.stringify(times))
})

const { query } = Client.prototype as unknown as { query: Query }
const watched: Query = function (this: Client, ...given) {
  const { name, values = [] } = (given[0] ?? {}) as { name?: string; values?: readonly unknown[] }
  if (name === undefined || !STATEMENT.test(name)) return query.apply(this, given)
  const begun = now()
  const note = (answer: Answer) => {
    const jobIds = name.startsWith('insert') ? insertedBy(values, answer) : claimedBy(name, answer)
    times.statements.push({ name, begun, answered: now(), jobIds })
  }
  const callback = given.at(-1)
  if (typeof callback !== 'function') return noted(query.apply(this, given) as Promise<Answer>, note)
  const noting = (error: unknown, answer: Answer) => {
    note(answer)
    callback(error, answer)
  }
  return query.apply(this, [...given.slice(0, -1), noting])
}
Object.assign(Client.prototype, { query: watched })

const { connect } = Client.prototype as unknown as { connect: Query }
const listening: Query = function (this: Client, ...given) {
  this.on('notification', ({ channel }: Notification) => {
    if (channel === CHANNEL) times.notifications.push(now())
  })
  return connect.apply(this, given)
}
Object.assign(Client.prototype, { connect: listening })

async function noted(answered: Promise<Answer>, note: (answer: Answer) => void): Promise<Answer> {
  const answer = await answered
  note(answer)
  return answer
}

/** One that is to be claimed with its insertion, and was not, is claimed later. */
function insertedBy(values: readonly unknown[], answer: Answer): string[] {
  const isRefused = (id: string) => answer?.rows.some((row) => row.id === id && row.funded === false)
  return (values[0] as string[]).filter((id) => !isRefused(id))
}

/** Of `claim_queued_rows` also rows of jobs that it left. */
const claimedBy = (name: string, answer: Answer): string[] =>
  (answer?.rows ?? []).flatMap(({ id, queued_job, funded }) => {
    if (name === 'claim_jobs') return funded === true ? [String(id)] : []
    return id == null ? [] : [String(queued_job)]
  })

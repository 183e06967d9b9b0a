import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'
import { join } from 'node:path'

/**
 * The fate of bytes on their way to PostgreSQL. `now` cuts the connection before they arrive. `reply` passes them on and cuts it as soon as the
 * answer is there: PostgreSQL has done the work and no client hears of it. `silence` keeps the connection open and passes on nothing any more, in
 * either direction: a machine that lost its network.
 */
type Cut = 'now' | 'reply' | 'silence' | null
/** Cuts the connection in place of an answer that it holds of, once that is complete; any other is passed on. */
type CutByAnswer = (answer: string) => boolean

export interface FaultProxy {
  /** The database through the proxy. */
  readonly url: string
  /** Connections cut so far. */
  readonly cuts: Record<Exclude<Cut, null>, number>
  /** @param sinceBegin what the connection was sent since its last `begin`, these bytes included */
  rule: (bytes: Buffer, sinceBegin: string) => Cut | CutByAnswer
  /** Ends every connection, and lets new ones through. */
  heal(): void
  close(): Promise<void>
}

/** Settings may go along. */
const BEGIN = /begin(?:; set [^\0]*)?\0/
const JOB_ID = /job_[0-9a-z]{26}/g
const jobsIn = (text: string): number => new Set(text.match(JOB_ID)).size
/** ReadyForQuery, which ends every answer, without the state of the transaction. */
const READY = 'Z\0\0\0\u0005'
const isWhole = (answer: Buffer): boolean => answer.subarray(-6, -1).toString('latin1') === READY
const textOf = (bytes: Buffer, sinceBegin: string) => (isCommit(bytes) ? sinceBegin : bytes.toString('latin1'))
const isCommit = (bytes: Buffer): boolean => bytes.includes('commit\0')

/** Cuts these shares of the connections: at a COMMIT's reply, and before any other statement. */
export const cutShares =
  (shares: { readonly commit: number; readonly other: number }): FaultProxy['rule'] =>
  (bytes) => {
    if (isCommit(bytes)) return chance(shares.commit) ? 'reply' : null
    return chance(shares.other) ? 'now' : null
  }

/**
 * Lets a `commit` through whose transaction holds one of the words, or a statement of its own that does, and cuts its reply: once a word.
 * @param leastJobs ids of jobs that the transaction, or the statement, must name
 */
export function cutReplies(
  words: readonly string[],
  leastJobs = 0,
): FaultProxy['rule'] & { readonly left: ReadonlySet<string> } {
  const left = new Set(words)
  const rule: FaultProxy['rule'] = (bytes, sinceBegin) => {
    const whole = isCommit(bytes) || !BEGIN.test(sinceBegin) ? textOf(bytes, sinceBegin) : ''
    const word = jobsIn(whole) >= leastJobs ? [...left].find((one) => whole.includes(one)) : undefined
    if (word === undefined) return null
    left.delete(word)
    return 'reply'
  }
  return Object.assign(rule, { left })
}

/**
 * The same where it is the answer that names so many jobs, of a statement which asks for none by its id: once.
 * @param word which the statement holds
 * @param times how often it must name each of them: in so many columns
 */
export function cutAnswers(
  word: string,
  leastJobs: number,
  times = 1,
): FaultProxy['rule'] & { readonly cut: readonly string[] } {
  const cut: string[] = []
  const isCut: CutByAnswer = (answer) => {
    const named = Map.groupBy(answer.match(JOB_ID) ?? [], (id) => id)
    const ids = [...named].filter(([, places]) => places.length >= times).map(([id]) => id)
    if (cut.length > 0 || ids.length < leastJobs) return false
    cut.push(...ids)
    return true
  }
  const rule: FaultProxy['rule'] = (bytes) => (cut.length === 0 && bytes.includes(word) ? isCut : null)
  return Object.assign(rule, { cut })
}

/** TCP in front of PostgreSQL that cuts connections by a rule; none until one is set. */
export async function startFaultProxy(databaseUrl: string): Promise<FaultProxy> {
  const target = new URL(databaseUrl)
  const socket = target.searchParams.get('host')
  const place =
    socket === null ? { host: target.hostname, port: Number(target.port) } : { path: join(socket, '.s.PGSQL.5432') }
  const open = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = createConnection(place)
    let [cutting, silent, sinceBegin] = [false, false, '']
    let isCut: CutByAnswer | undefined
    let answer = Buffer.alloc(0)
    const end = () => {
      client.destroy()
      upstream.destroy()
      open.delete(client)
    }
    open.add(client)
    for (const socket of [client, upstream]) socket.on('error', end).on('close', end)
    client.on('data', (bytes: Buffer) => {
      if (silent) return
      const begins = BEGIN.test(bytes.toString('latin1'))
      sinceBegin = (begins ? '' : sinceBegin) + bytes.toString('latin1')
      const cut = cutting ? null : proxy.rule(bytes, sinceBegin)
      if (isCommit(bytes) || bytes.includes('rollback\0') || !BEGIN.test(sinceBegin)) sinceBegin = ''
      if (typeof cut === 'function') isCut = cut
      else if (cut !== null) proxy.cuts[cut]++
      if (cut === 'now') return end()
      cutting ||= cut === 'reply'
      silent = cut === 'silence'
      if (!silent) upstream.write(bytes)
    })
    upstream.on('data', (bytes: Buffer) => {
      if (cutting) return end()
      if (silent) return
      answer = Buffer.concat([answer, bytes])
      if (isCut !== undefined && !isWhole(answer)) return
      if (isCut?.(answer.toString('latin1'))) {
        proxy.cuts.reply++
        return end()
      }
      client.write(answer)
      isCut = undefined
      answer = Buffer.alloc(0)
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const proxy: FaultProxy = {
    url: `postgresql://${target.username}@127.0.0.1:${port}${target.pathname}?sslmode=disable`,
    cuts: { now: 0, reply: 0, silence: 0 },
    rule: () => null,
    heal: () => {
      proxy.rule = () => null
      for (const socket of open) socket.destroy()
    },
    close: async () => {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return proxy
}

const chance = (share: number): boolean => randomBytes(4).readUInt32LE() / 2 ** 32 < share

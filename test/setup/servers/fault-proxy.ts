import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'
import { join } from 'node:path'

/**
 * What becomes of bytes on their way to PostgreSQL: `now` cuts the connection before they arrive, `reply` passes them on and cuts it as soon as
 * the answer is there. What they ask for is then done, only no client hears of it. `silence` leaves the connection open and passes on nothing any more,
 * in neither direction: a machine that lost its network.
 */
type Cut = 'now' | 'reply' | 'silence' | null

export interface FaultProxy {
  /** The database through the proxy. */
  readonly url: string
  /** Connections cut so far. */
  readonly cuts: Record<Exclude<Cut, null>, number>
  /** @param sinceBegin what the connection was sent since its last `begin`, these bytes included */
  rule: (bytes: Buffer, sinceBegin: string) => Cut
  /** Ends every connection, and lets new ones through. */
  heal(): void
  close(): Promise<void>
}

/** Settings may go along. */
const BEGIN = /begin(?:; set [^\0]*)?\0/
const JOB_ID = /job_[0-9a-z]{26}/g
const jobsIn = (text: string): number => new Set(text.match(JOB_ID)).size
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

/** TCP in front of PostgreSQL's socket that cuts connections by a rule; none until one is set. */
export async function startFaultProxy(databaseUrl: string): Promise<FaultProxy> {
  const target = new URL(databaseUrl)
  const path = join(target.searchParams.get('host') ?? '', '.s.PGSQL.5432')
  const open = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = createConnection(path)
    let [cutting, silent, sinceBegin] = [false, false, '']
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
      if (cut !== null) proxy.cuts[cut]++
      if (cut === 'now') return end()
      cutting ||= cut === 'reply'
      silent = cut === 'silence'
      if (!silent) upstream.write(bytes)
    })
    upstream.on('data', (bytes: Buffer) => {
      if (cutting) end()
      else if (!silent) client.write(bytes)
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

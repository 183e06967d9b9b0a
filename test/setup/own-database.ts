import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createConnection, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbedded } from '../../src/db/embedded.ts'
import { openLog } from '../../src/log.ts'
import { postmaster } from './embedded.ts'
import { until } from './service.ts'

const PATIENCE_MS = 30_000

export interface OwnDatabase {
  readonly url: string
  /** Ends PostgreSQL as a crash does, and returns once it is back. */
  restart(): Promise<void>
  close(): Promise<void>
}

/** A PostgreSQL that a test may ill-treat: nobody shares it. */
export async function startOwnDatabase(): Promise<OwnDatabase> {
  const directory = await mkdtemp(join(tmpdir(), 'sonant-own-'))
  await chmod(directory, 0o755)
  const embedded = await openEmbedded(directory, openLog('silent'), { fsync: false })
  return {
    url: embedded.url,
    restart: async () => {
      const before = (await postmaster(directory))!
      process.kill(before, 'SIGQUIT')
      const replaced = async () => {
        await embedded.ensure().catch(() => undefined)
        const now = await postmaster(directory)
        return now !== undefined && now !== before
      }
      await until(replaced, PATIENCE_MS, 'PostgreSQL to be back')
    },
    close: async () => {
      await embedded.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

export interface FaultProxy {
  /** The database through the proxy. */
  readonly url: string
  /** Connections cut so far: at a COMMIT's reply, and at any other moment. */
  readonly cuts: { commit: number; other: number }
  /** Which share of the commits loses its reply, and of the other statements its connection. */
  shares: { commit: number; other: number }
  close(): Promise<void>
}

const COMMIT = Buffer.from('commit\0')

/** TCP in front of PostgreSQL's socket that cuts connections: after a COMMIT was passed on and before its reply is, or anywhere. */
export async function startFaultProxy(databaseUrl: string): Promise<FaultProxy> {
  const target = new URL(databaseUrl)
  const path = join(target.searchParams.get('host') ?? '', '.s.PGSQL.5432')
  const open = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = createConnection(path)
    let cutting = false
    const end = () => {
      client.destroy()
      upstream.destroy()
      open.delete(client)
    }
    open.add(client)
    for (const socket of [client, upstream]) socket.on('error', end).on('close', end)
    client.on('data', (bytes: Buffer) => {
      const isCommit = bytes.includes(COMMIT)
      if (isCommit && chance(proxy.shares.commit)) {
        cutting = true
        proxy.cuts.commit++
      } else if (!isCommit && chance(proxy.shares.other)) {
        proxy.cuts.other++
        return end()
      }
      upstream.write(bytes)
      return undefined
    })
    // The reply is there, so the commit is done: only nobody hears of it.
    upstream.on('data', (bytes: Buffer) => (cutting ? end() : void client.write(bytes)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const proxy: FaultProxy = {
    url: `postgresql://${target.username}@127.0.0.1:${port}${target.pathname}?sslmode=disable`,
    cuts: { commit: 0, other: 0 },
    shares: { commit: 0, other: 0 },
    close: async () => {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return proxy
}

const chance = (share: number): boolean => randomBytes(4).readUInt32LE() / 2 ** 32 < share

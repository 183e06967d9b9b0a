import { join } from 'node:path'
import { NO_OWNED_SERVER, OWNED_SERVER, type OwnedServer } from '../../engines/engine-block.ts'
import type { Dispatcher } from '../../queue/dispatcher.ts'
import { NotSoon, ServerLost } from '../../queue/stopping.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { DEAD_AFTER_MS, type Gpu } from '../workers.ts'
import type { ServerSpec } from './server-file.ts'
import type { Neighbours } from './server-health.ts'
import { ServerRecords } from './server-record.ts'
import { type ServerTimes, WorkerServer } from './worker-server.ts'

export interface ServerOptions {
  readonly spec: ServerSpec
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly times?: Partial<ServerTimes>
}

const NEIGHBOURS = `
  with told as (update worker set server = $2 where id = $1)
  select count(*)::integer as well, max((server->>'pace')::float8) as pace from worker
  where id <> $1 and pools @> $3 and server->>'state' = 'ready' and heartbeat_at > now() - $4 * interval '1 millisecond'`

interface Around {
  pools(): readonly string[]
  gpus(): readonly Gpu[]
  onReady(): void
  dispatchers(): readonly Pick<Dispatcher, 'leaveServer'>[]
}

export function openWorkerServer(
  runtime: Runtime,
  { spec, environment, times = {} }: ServerOptions,
  { gpus, onReady, dispatchers, pools }: Around,
): WorkerServer {
  const { db, log, now, settings, workerId } = runtime
  const leave = (reason: Error): void => {
    for (const dispatcher of dispatchers()) dispatcher.leaveServer(OWNED_SERVER, reason)
  }
  return new WorkerServer({
    spec,
    environment,
    times,
    log,
    now,
    gpus,
    onReady,
    records: new ServerRecords(join(settings.dataDir, 'servers')),
    neighbours: async (status) => {
      const values = [workerId, JSON.stringify(status), pools(), DEAD_AFTER_MS]
      const { rows } = await db.pool.query<Neighbours>(NEIGHBOURS, values)
      return rows[0] as Neighbours
    },
    onShed: leave,
    onLost: (cause) => leave(new ServerLost(cause)),
  })
}

export const asOwnedServer = (server: WorkerServer | undefined): OwnedServer => ({
  url: () => {
    const url = server?.url ?? null
    if (url === null) throw new NotSoon()
    return url
  },
  noteSent: (texts) => server?.noteSent(texts),
  noteGood: (answer) => server?.health.noteGood(answer),
  hangs: (...asked) => server?.health.hangs(...asked) ?? NO_OWNED_SERVER.hangs(...asked),
  judge: async (suspicion) => server?.health.judge(suspicion),
})

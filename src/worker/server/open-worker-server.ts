import { join } from 'node:path'
import { OWNED_SERVER, type OwnedServer } from '../../engines/engine-block.ts'
import type { Dispatcher } from '../../queue/dispatcher.ts'
import { NotSoon, ServerLost } from '../../queue/stopping.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { Gpu } from '../workers.ts'
import type { ServerSpec } from './server-file.ts'
import { ServerRecords } from './server-record.ts'
import { type ServerTimes, WorkerServer } from './worker-server.ts'

export interface ServerOptions {
  readonly spec: ServerSpec
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly times?: Partial<ServerTimes>
}

interface Around {
  gpus(): readonly Gpu[]
  onReady(): void
  dispatchers(): readonly Pick<Dispatcher, 'leaveServer'>[]
}

export function openWorkerServer(
  runtime: Runtime,
  { spec, environment, times = {} }: ServerOptions,
  { gpus, onReady, dispatchers }: Around,
): WorkerServer {
  const { log, now, settings } = runtime
  return new WorkerServer({
    spec,
    environment,
    times,
    log,
    now,
    gpus,
    onReady,
    records: new ServerRecords(join(settings.dataDir, 'servers')),
    onLost: (cause) => {
      for (const dispatcher of dispatchers()) dispatcher.leaveServer(OWNED_SERVER, new ServerLost(cause))
    },
  })
}

export const asOwnedServer = (server: WorkerServer | undefined): OwnedServer => ({
  url: () => {
    const url = server?.url ?? null
    if (url === null) throw new NotSoon()
    return url
  },
  noteSent: (texts) => server?.noteSent(texts),
})

import { join } from 'node:path'
import { OWNED_SERVER, type OwnedServer } from '../../engines/owned-server.ts'
import type { Dispatcher } from '../../queue/dispatcher.ts'
import { NotSoon, ServerLost } from '../../queue/stopping.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { Gpu } from '../worker.ts'
import type { ServerSpec } from './server-file.ts'
import { ServerRecords } from './server-record.ts'
import type { ServerTimes } from './watch-server.ts'
import { WorkerServer } from './worker-server.ts'

/** The server that a worker is to own. */
export interface ServerOptions {
  readonly spec: ServerSpec
  /** What it inherits. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly times?: Partial<ServerTimes>
}

/** What a server's worker does about it. */
interface Around {
  gpus(): readonly Gpu[]
  /** The server can take jobs. */
  onReady(): void
  /** What takes jobs of the server. */
  dispatchers(): readonly (Pick<Dispatcher, 'leaveServer'> | undefined)[]
}

/** The server of a worker that is to own one, not started yet. */
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
      for (const dispatcher of dispatchers()) dispatcher?.leaveServer(OWNED_SERVER, new ServerLost(cause))
    },
  })
}

/** The same as engines see it: a job that comes while there is none, or comes to a worker without one, goes back to the queue. */
export const asOwnedServer = (server: WorkerServer | undefined): OwnedServer => ({
  url: () => {
    const url = server?.url ?? null
    if (url === null) throw new NotSoon()
    return url
  },
  noteSent: (texts) => server?.noteSent(texts),
})

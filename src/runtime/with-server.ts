import { type Closer, closeInTurn } from '../concurrency/closing.ts'
import type { Settings } from '../context/config.ts'
import type { Log } from '../values/log.ts'
import { closingLimit } from './foundation.ts'
import { type OpenedServer, openServer } from './open-server.ts'

/** Opens the database of these settings as it is for as long as `work` takes. @throws what `work` throws; where it cannot be opened */
export async function withServer<T>(
  settings: Settings,
  log: Log,
  work: (server: OpenedServer) => Promise<T>,
): Promise<T> {
  const closers: Closer[] = []
  try {
    return await work(await openServer(settings, log, closers))
  } finally {
    await closeInTurn(closers, closingLimit(settings), log)
  }
}

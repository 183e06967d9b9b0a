import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbedded } from '../../../src/db/embedded/embedded.ts'
import { openLog } from '../../../src/values/log.ts'
import { until } from '../wait.ts'
import { postmaster } from './embedded.ts'

const TIMEOUT_MS = 60_000

export interface OwnDatabase {
  readonly url: string
  /** Ends PostgreSQL as a crash does, or as the kernel, and returns once it is back. */
  restart(signal?: 'SIGQUIT' | 'SIGKILL'): Promise<void>
  close(): Promise<void>
}

/** A PostgreSQL that a test may ill-treat: no other test shares it. */
export async function startOwnDatabase(): Promise<OwnDatabase> {
  const directory = await mkdtemp(join(tmpdir(), 'sonant-own-'))
  await chmod(directory, 0o755)
  const embedded = await openEmbedded(directory, openLog('silent'), { fsync: false })
  return {
    url: embedded.url,
    restart: async (signal = 'SIGQUIT') => {
      const before = (await postmaster(directory))!
      process.kill(before, signal)
      const replaced = async () => {
        await embedded.ensure().catch(() => undefined)
        const now = await postmaster(directory)
        return now !== undefined && now !== before
      }
      await until(replaced, TIMEOUT_MS, 'PostgreSQL to be back')
    },
    close: async () => {
      await embedded.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

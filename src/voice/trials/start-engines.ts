import { availableParallelism } from 'node:os'
import type { Context } from '../../context/context.ts'
import type { Engines } from '../../engines/engines.ts'
import { type EspeakThreads, openThreads } from '../../engines/espeak/espeak-threads.ts'

type Parts = Pick<Context, 'settings' | 'log'>

export interface StartedEngines {
  engines(parts: Parts): Promise<Engines>
  close(): Promise<void>
}

/** Starts the embedded engine in its own thread while the command does other work. */
export function startEngines(): StartedEngines {
  const threads = availableParallelism()
  const started = openThreads(threads)
  let opened: Promise<Engines> | undefined
  started.start()
  return {
    engines: (parts) => (opened ??= openAll(parts, threads, started)),
    close: async () => {
      await Promise.allSettled([started.close(), opened?.then((engines) => engines.close())])
    },
  }
}

async function openAll({ settings, log }: Parts, threads: number, started: EspeakThreads): Promise<Engines> {
  const { openEngines } = await import('../../engines/engines.ts')
  const { openEspeak } = await import('../../engines/espeak/espeak.ts')
  const { modelsOf } = await import('./trial-engines.ts')
  const espeak = openEspeak({ threads, log, started })
  return openEngines({ threads, log, lookUp: settings.lookUp, espeak, ...modelsOf(settings) })
}

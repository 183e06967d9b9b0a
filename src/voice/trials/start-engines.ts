import { availableParallelism } from 'node:os'
import type { Context } from '../../context/context.ts'
import type { Engines } from '../../engines/engines.ts'
import { type EspeakThreads, openThreads } from '../../engines/espeak/espeak-threads.ts'

type Parts = Pick<Context, 'settings' | 'log'>

/** Engines for one look at all of them. */
export interface StartedEngines {
  /** Opened when they are asked for. */
  engines(parts: Parts): Promise<Engines>
  /** May be called again. Never rejects: the answers are there, and what fails then changes none. */
  close(): Promise<void>
}

/**
 * Starts the embedded engine, which most installations speak with, in a thread of its own: it takes as long as everything else that a command
 * does before it asks an engine.
 */
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
  const { modelsOf } = await import('../models-of.ts')
  const espeak = openEspeak({ threads, log, started })
  return openEngines({ threads, log, lookUp: settings.lookUp, espeak, ...modelsOf(settings) })
}

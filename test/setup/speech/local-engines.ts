import { openEngines } from '../../../src/engines/engines.ts'
import { openLog } from '../../../src/values/log.ts'

/** Engines of models in a directory that is known once they are asked. */
export const openLocalEngines = (modelsDir: () => string) =>
  openEngines({
    threads: 1,
    log: openLog('silent'),
    lookUp: () => undefined,
    get modelsDir() {
      return modelsDir()
    },
  })

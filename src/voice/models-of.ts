import { join } from 'node:path'
import { parseWav } from '../audio/wav.ts'
import type { Settings } from '../context/config.ts'

/** What engines need that load models of this machine: where the operator puts them, and what reads recordings. */
export const modelsOf = ({ dataDir }: Pick<Settings, 'dataDir'>) => ({
  modelsDir: join(dataDir, 'models'),
  readRecording: parseWav,
})

import { join } from 'node:path'
import { parseWav } from '../audio/wav.ts'
import type { Settings } from '../context/config.ts'

export const modelsOf = ({ dataDir }: Pick<Settings, 'dataDir'>) => ({
  modelsDir: join(dataDir, 'models'),
  readRecording: parseWav,
})

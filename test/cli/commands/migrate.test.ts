import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { sonantHere } from '../../setup/processes/command-here.ts'
import { cleanUp, makeTempDir } from '../../setup/processes/process.ts'

afterAll(cleanUp)

describe('sonant migrate --plan', () => {
  test('shows what the first start applies, and makes no database', async () => {
    const dataDir = join(await makeTempDir(), 'data')
    const { pending } = await sonantHere<{ pending: { migration: string; begun: boolean }[] }>(
      { DATA_DIR: dataDir },
      ...['migrate', '--plan'],
    )
    expect(pending[0]).toMatchObject({ migration: expect.stringMatching(/^\d{14}_/), begun: false })
    expect(existsSync(join(dataDir, 'postgres'))).toBe(false)
  })
})

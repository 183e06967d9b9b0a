import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findModelFiles } from '../../../src/engines/sherpa/sherpa.ts'
import type { SherpaFamily } from '../../../src/engines/sherpa/sherpa-families.ts'
import { writeModel } from '../../setup/speech/tiny-models.ts'

const RULES = ['new_heteronym.fst', 'number-zh.fst', 'date-zh.fst', 'phone-zh.fst', 'rule.far']

describe('rules for numbers and dates', () => {
  let models: string
  beforeAll(async () => {
    models = await mkdtemp(join(tmpdir(), 'sonant-rules-'))
    for (const [family, more] of [
      ['vits', []],
      ['kokoro', ['voices.bin']],
    ] as const)
      await writeModel(
        join(models, family),
        Object.fromEntries(['model.onnx', 'tokens.txt', ...more, ...RULES].map((name) => [name, ''])),
      )
  })
  afterAll(() => rm(models, { recursive: true }))

  const rulesOf = async (family: SherpaFamily, files: Record<string, string> = {}) => {
    const { rules } = await findModelFiles({ family, model_dir: family, files }, models)
    const named = Object.entries(rules).map(([name, list]) => [name, list.split(',').map((path) => basename(path))])
    return Object.fromEntries(named)
  }

  test('are applied to telephone numbers, then to dates, then to numbers: each takes what the next would misread', async () => {
    expect(await rulesOf('vits')).toEqual({
      ruleFsts: ['phone-zh.fst', 'date-zh.fst', 'number-zh.fst', 'new_heteronym.fst'],
      ruleFars: ['rule.far'],
    })
  })

  test('are those that files names, in its order', async () => {
    expect(await rulesOf('vits', { rule_fsts: 'number-zh.fst,date-zh.fst' })).toEqual({
      ruleFsts: ['number-zh.fst', 'date-zh.fst'],
      ruleFars: ['rule.far'],
    })
  })

  test('come to Kokoro only where files names them: they would make Chinese of the digits in English', async () => {
    expect(await rulesOf('kokoro')).toEqual({})
    expect(await rulesOf('kokoro', { rule_fsts: 'date-zh.fst,number-zh.fst' })).toEqual({
      ruleFsts: ['date-zh.fst', 'number-zh.fst'],
    })
  })
})

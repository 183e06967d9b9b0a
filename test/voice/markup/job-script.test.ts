import { expect, test } from 'vitest'
import type { EngineVoice } from '../../../src/engines/engine.ts'
import { jobScript } from '../../../src/voice/markup/job-script.ts'

type Arguments = Parameters<typeof jobScript>

test('a voice with its recording is loaded once, however many stretches are spoken with it', async () => {
  const loaded: string[] = []
  const load = async (name: string) => {
    loaded.push(name)
    return { name } as unknown as EngineVoice
  }
  const stretches = `<voice name="ann"><s>a</s><s>b</s></voice><voice name="ben">c</voice>`.repeat(50)
  const text = `<speak>${stretches}</speak>`
  const claim = { accountId: 'acct_1', lexicon: null, options: { markup: 'ssml' } } as unknown as Arguments[1]
  const { passages } = await jobScript({} as Arguments[0], claim, { text }, load)
  expect(loaded.sort()).toEqual(['ann', 'ben'])
  expect(passages?.filter(({ change }) => change.voice !== undefined).length).toBeGreaterThanOrEqual(150)
  expect(new Set(passages?.map(({ change }) => change.voice)).size).toBeLessThanOrEqual(3)
})

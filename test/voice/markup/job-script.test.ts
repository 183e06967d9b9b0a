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
  const { passages } = await jobScript({} as Arguments[0], claim, { text }, false, load)
  expect(loaded.sort()).toEqual(['ann', 'ben'])
  expect(passages?.filter(({ change }) => change.voice !== undefined).length).toBeGreaterThanOrEqual(150)
  expect(new Set(passages?.map(({ change }) => change.voice)).size).toBeLessThanOrEqual(3)
})

test.each([
  ['10. März 2020'.normalize('NFD'), 'date', 'German', 'zehnter März zwei tausend zwanzig'],
  ['10&#46;3.2020', 'date', 'German', 'zehnter März zwei tausend zwanzig'],
  ['2&#48;24', 'digits', 'English', 'two zero two four'],
])('%j as %s in %s is read as a whole, whatever cuts it', async (written, as, language, spoken) => {
  const text = `<speak><say-as interpret-as="${as}">${written}</say-as></speak>`
  const claim = { accountId: 'acct_1', lexicon: null, options: { markup: 'ssml' } } as unknown as Arguments[1]
  const request = { text, language } as Arguments[2]
  expect((await jobScript({} as Arguments[0], claim, request, false, async () => null)).map.spoken.trim()).toBe(spoken)
})

import { afterAll, expect, test } from 'vitest'
import { durationMs, type Wav } from '../../../src/audio/wav.ts'
import { openEspeak } from '../../../src/engines/espeak/espeak.ts'
import { integratedLufs } from '../../../src/engines/loudness.ts'
import { openLog } from '../../../src/values/log.ts'
import { speakText } from '../../../src/voice/speak-text.ts'
import { measureVoice } from '../../setup/speech/measure-voice.ts'

const TAIL_MS = 100
const SENTENCES = [
  ['en-us+m3', 'The weather is lovely today, so let us take a walk in the park.'],
  ['fr+f3', 'Bonjour.'],
  ['ru+m7', 'Сегодня хорошая погода, пойдём гулять в парк.'],
  ['cmn+f2', '今天天气很好，我们一起去公园散步吧。'],
  ['ko+m3', '안녕하세요. 오늘은 날씨가 참 좋네요. 공원에서 산책합시다.'],
  ['ja+whisperf', 'きょうはいいてんきですね。こうえんをさんぽしましょう。'],
] as const

const engine = openEspeak({ threads: 2, log: openLog('silent') })
afterAll(() => engine.close())

const render = async (engineVoice: string, text: string, speed: number, styleInstruction = '') => {
  const voice = { slug: 'any', kind: 'preset', engineVoice, referenceAudio: null, referenceText: null } as const
  const signal = new AbortController().signal
  return engine.speak({ text, voice, signal, extra: {}, speed, styleInstruction })
}
const seconds = (audio: Wav): number => (durationMs(audio) - TAIL_MS) / 1000

test.each(SENTENCES)('%s is as fast as asked for, from 0.25 to 4, at its own pitch and loudness', async (...of) => {
  const isFirst = of[0] === SENTENCES[0][0]
  const plain = await render(...of, 1)
  const voice = measureVoice(plain.audio)
  for (const speed of isFirst ? [0.25, 0.6, 1.5, 2, 4] : [0.25, 1.5, 4]) {
    const { audio, loudness } = await render(...of, speed)
    const ratio = seconds(plain.audio) / seconds(audio) / speed
    expect([speed, Math.abs(ratio - 1) < (speed === 1.5 ? 0.15 : 0.05) || ratio]).toEqual([speed, true])
    const { pitchHz } = measureVoice(audio)
    if (voice.pitchHz > 0 && pitchHz > 0)
      expect([speed, Math.abs(pitchHz / voice.pitchHz - 1) < 0.2]).toEqual([speed, true])
    expect(loudness!.target).toBe(plain.loudness!.target)
    expect(Math.abs(integratedLufs(loudness!.blocks) - integratedLufs(plain.loudness!.blocks))).toBeLessThan(4)
  }
})

test('a long text is as fast as asked for, the pauses between its paragraphs included', async () => {
  const text = Array(3)
    .fill('The train leaves at half past nine, and nobody waits for those who are late. '.repeat(4))
    .join('\n\n')
  const voice = {
    slug: 'any',
    kind: 'preset',
    engineVoice: 'en-us+m3',
    referenceAudio: null,
    referenceText: null,
  } as const
  const lengthAt = async (speed: number) =>
    (await speakText(engine, { text, voice, signal: new AbortController().signal, extra: {}, speed })).durationMs
  const own = await lengthAt(1)
  for (const speed of [0.25, 2, 4]) {
    const ratio = own / (await lengthAt(speed)) / speed
    expect([speed, Math.abs(ratio - 1) < 0.02 || ratio]).toEqual([speed, true])
  }
})

test.each([0.25, 0.5, 2, 4])('at %d, words begin where they are heard', async (speed) => {
  const text = 'Attention! Take care.'
  const { audio, words } = await render('en-us+m3', text, speed)
  const { samples, sampleRate } = audio
  const [from, to] = longestSilence(samples)
  const second = words!.find(({ offset }) => offset === text.indexOf('Take'))!
  expect((to - from) / sampleRate).toBeGreaterThan(0.03)
  expect(Math.abs(second.sample - to) / sampleRate).toBeLessThan(Math.max(0.05, 0.06 / speed))
})

test('a pace that is asked for in words alone is eSpeak’s own', async () => {
  const [, text] = SENTENCES[0]
  const slow = await render('en-us+m3', text, 1, 'very slowly')
  const twice = await render('en-us+m3', text, 2, 'very slowly')
  expect(Math.abs(seconds(slow.audio) / seconds(twice.audio) / 2 - 1)).toBeLessThan(0.05)
})

/** The longest run of nearly silent samples: the first one and the one after the last. */
function longestSilence(samples: Int16Array): [number, number] {
  let longest: [number, number] = [0, 0]
  let from = 0
  for (let at = 0; at < samples.length; at++) {
    if (Math.abs(samples[at]!) < 200) continue
    if (at - from > longest[1] - longest[0]) longest = [from, at]
    from = at + 1
  }
  return longest
}

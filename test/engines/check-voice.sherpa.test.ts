import { describe, expect, test } from 'vitest'
import { checkVoice } from '../../src/engines/check-voice.ts'
import { engineBlock } from '../../src/engines/engine-block.ts'

const block = (changes: object) =>
  engineBlock.safeParse({ kind: 'sherpa-onnx', family: 'vits', model_dir: 'm', ...changes })
const messages = (changes: object) =>
  block(changes).error?.issues.map(({ path, message }) => `${path.join('.')} ${message}`)

describe('an engine block of a sherpa-onnx model', () => {
  test('has defaults for what it leaves out, of fields that older workers know', () => {
    expect(block({}).data).toEqual({
      kind: 'sherpa-onnx',
      family: 'vits',
      model_dir: 'm',
      files: {},
      threads: 2,
      slots: 1,
    })
  })

  test('is refused with all of its violations', () => {
    expect(messages({ files: { mdoel: 'x', voices: 'y' }, steps: 5 })).toEqual([
      'files.mdoel is none of model, tokens, lexicon, data_dir, rule_fsts, rule_fars',
      'files.voices is none of model, tokens, lexicon, data_dir, rule_fsts, rule_fars',
      'steps is not supported by vits',
    ])
    expect(messages({ model_dir: '../elsewhere', threads: 0, slots: 17 })).toHaveLength(3)
    expect(messages({ family: 'tacotron' })).toHaveLength(1)
    expect([0, 10_081, '5'].map((minutes) => messages({ idle_minutes: minutes })?.length)).toEqual([1, 1, 1])
    expect(messages({ family: 'pocket', steps: 5 })).toBeUndefined()
  })

  test.each([
    ['vits', { kind: 'preset', engineVoice: '0' }, null],
    ['kokoro', { kind: 'preset', engineVoice: 'heart' }, 'must be the number of a speaker, such as "0"'],
    ['kitten', { kind: 'preset', engineVoice: '-1' }, 'must be the number of a speaker, such as "0"'],
    [
      'matcha',
      { kind: 'reference', engineVoice: undefined },
      'must be preset: a matcha model cannot speak like a recording',
    ],
    [
      'pocket',
      { kind: 'preset', engineVoice: '0' },
      'must be a reference voice: a pocket model speaks like a recording',
    ],
    ['pocket', { kind: 'reference', engineVoice: undefined }, null],
    [
      'zipvoice',
      { kind: 'reference', engineVoice: undefined },
      'needs reference_text: a zipvoice model needs the text of the recording',
    ],
    ['zipvoice', { kind: 'reference', engineVoice: undefined, referenceText: 'So.' }, null],
  ] as const)('%s with the voice %j: %j', (family, voice, expected) => {
    expect(checkVoice({ kind: 'sherpa-onnx', family }, voice)).toBe(expected)
  })
})

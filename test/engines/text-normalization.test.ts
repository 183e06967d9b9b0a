import { describe, expect, test } from 'vitest'
import { SHERPA_FAMILIES } from '../../src/engines/sherpa/sherpa-families.ts'
import { isNormalized, variantOf } from '../../src/engines/text-normalization.ts'

const voice = (engineVoice: string | null, slug = 'calm') => ({ engineVoice, slug })

describe('an engine', () => {
  test.each<readonly [string, Readonly<Record<string, unknown>>, boolean]>([
    ['the built-in one', { kind: 'espeak' }, true],
    ['an unknown server', { kind: 'openai-speech' }, false],
    ...['generic', 'vllm-omni', 'sglang-omni', 'nari'].map(
      (profile) => [profile, { kind: 'openai-speech', profile }, false] as const,
    ),
    ...['kokoro', 'speaches'].map((profile) => [profile, { kind: 'openai-speech', profile }, true] as const),
    ...SHERPA_FAMILIES.map((family) => [family, { kind: 'sherpa-onnx', family }, true] as const),
  ])('of %s gets words by itself, or not', (_name, block, gets) => {
    expect(isNormalized(block)).toBe(gets)
    expect(isNormalized(block, 'auto', null, undefined)).toBe(gets)
  })

  test('gets what the request chooses, else what its endpoint does', () => {
    const block = { kind: 'espeak' }
    expect([isNormalized(block, 'off', 'on'), isNormalized(block, 'on', 'off')]).toEqual([false, true])
    expect([isNormalized(block, undefined, 'off'), isNormalized(block, 'auto', 'off')]).toEqual([false, false])
  })
})

describe('a voice', () => {
  test.each(['en-gb', 'en-GB-x-rp+f3', 'en_GB-alan-medium', 'bf_emma', 'bm_george', 'en-gb+m1@60'])(
    '%s reads British English, and no other language otherwise',
    (name) => {
      expect(variantOf(voice(name), 'English')).toBe('GB')
      expect(variantOf(voice(null, name), 'English')).toBe('GB')
      expect(variantOf(voice(name), 'French')).toBeUndefined()
    },
  )

  test.each(['en-us', 'en-us+f3', 'af_heart', 'de', '0', 'english-gbr', 'agenb'])('%s is not British', (name) => {
    expect(variantOf(voice(name), 'English')).toBeUndefined()
  })

  test('of Portugal says its numbers, and a Brazilian one does not', () => {
    const variants = ['pt', 'pt+f2', 'pt-pt', 'pt_PT-tugao-medium'].map((name) => variantOf(voice(name), 'Portuguese'))
    expect(variants).toEqual(['PT', 'PT', 'PT', 'PT'])
    for (const name of ['pt-br', 'pt-br+m1', 'pt_BR-faber-medium', 'pf_dora', 'en-us', null])
      expect(variantOf(voice(name), 'Portuguese')).toBeUndefined()
  })
})

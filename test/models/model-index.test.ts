import { describe, expect, test } from 'vitest'
import { parseEndpointFile } from '../../src/catalog/files/endpoint-file.ts'
import { LANGUAGES } from '../../src/engines/espeak/detect-language.ts'
import { FAMILIES } from '../../src/engines/sherpa/sherpa-families.ts'
import { asDescribed, endpointSource } from '../../src/models/model-endpoint.ts'
import { directoryOf, isArchiveName, nearestName, readModelIndex, sizeOf } from '../../src/models/model-index.ts'

const INDEX = readModelIndex()
const NAMES = INDEX.map(({ name }) => name)

describe('the index of models', () => {
  test('names each model once, and gives each a directory of its own', () => {
    expect(new Set(NAMES).size).toBe(NAMES.length)
    expect(new Set(INDEX.map(directoryOf)).size).toBe(NAMES.length)
    expect(INDEX.filter(({ files: [archive] }) => !isArchiveName(archive.path.replace(/^.*\//, '')))).toEqual([])
  })

  test.each(INDEX.map((model) => [model.name, model] as const))('makes an endpoint of %s', (name, model) => {
    const clones = FAMILIES[model.family].clones
    expect(model.voices.every((voice) => (voice.recording !== undefined) === clones)).toBe(true)
    if (model.voices.length === 0) return
    const { endpoints } = parseEndpointFile(endpointSource(asDescribed(model), model.voices))
    expect(endpoints).toMatchObject([{ slug: name, published: true, engine: { model_dir: directoryOf(model) } }])
    expect(endpoints[0]?.voices.map(({ slug }) => slug)).toEqual(model.voices.map(({ slug }) => slug))
  })

  test('has natural voices for all ten languages, and for each language of Piper two voices', () => {
    expect(new Set(INDEX.flatMap(({ languages }) => languages))).toEqual(new Set(LANGUAGES))
    const piper = INDEX.filter(({ name }) => name.startsWith('piper-'))
    // Piper has no Japanese and no Korean voice.
    for (const language of LANGUAGES.filter((one) => one !== 'Japanese' && one !== 'Korean'))
      expect([language, piper.filter(({ languages }) => languages.includes(language)).length]).toEqual([language, 2])
  })

  test('knows the checksums of all files but those of which the sources say different things', () => {
    const unknown = INDEX.filter(({ files }) => files.some(({ sha256 }) => sha256 === undefined))
    expect(unknown.map(({ name }) => name)).toEqual(['piper-pt-faber', 'piper-pt-cadu'])
    expect(INDEX.filter((model) => sizeOf(model) < 10_000_000 || sizeOf(model) > 400_000_000)).toEqual([])
  })

  test('says how fast a model is only where its authors do', () => {
    const known = INDEX.flatMap(({ name, speed }) => (speed === undefined ? [] : [[name, speed]]))
    expect(known).toEqual([
      ['kokoro-full', '0.3 x real time, Raspberry Pi 4'],
      ['pocket', '6 x real time, MacBook Air M4'],
      ['matcha', '2.4 x real time, Raspberry Pi 4'],
    ])
  })

  test.each([
    ['kokoto', 'kokoro'],
    ['Kokoro', 'kokoro'],
    ['piper', 'piper-en-cori'],
    ['thorsten', 'piper-de-thorsten'],
    ['suprtonic', 'supertonic'],
  ])('is asked for %s, and suggests %s', (given, nearest) => {
    expect(nearestName(given, NAMES)).toBe(nearest)
  })
})

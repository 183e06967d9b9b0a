import { describe, expect, test } from 'vitest'
import { embeddedSlots } from '../../src/catalog/engine-server.ts'
import type { VoiceEndpoint } from '../../src/context/catalog-snapshot.ts'

const THREADS = 4

describe('the texts that a pool speaks inside a worker at once', () => {
  const slotsOf = (...engines: object[]) => {
    const endpoints = engines.map((engine, number) => [`e${number}`, { engine: { pool: 'in', ...engine } }] as const)
    const servers = { endpoints: new Map(endpoints as unknown as [string, VoiceEndpoint][]), workflows: new Map() }
    return embeddedSlots(servers, 'in', THREADS)
  }
  const model = (changes: object = {}) => ({ kind: 'sherpa-onnx', family: 'kokoro', model_dir: 'm', ...changes })

  test('are those of its threads and of the processes of each model', () => {
    expect(slotsOf()).toBe(0)
    expect(slotsOf({ kind: 'espeak' }, model({ slots: 3 }), { kind: 'openai-speech' })).toBe(THREADS + 3)
    expect(slotsOf(model({ pool: 'other' }))).toBe(0)
  })

  test('are counted once where endpoints share the processes of a model', () => {
    const files = { model: 'a.onnx', voices: 'v.bin' }
    expect(slotsOf(model({ files }), model({ files: { voices: 'v.bin', model: 'a.onnx' }, steps: 5 }))).toBe(1)
    expect(slotsOf(model(), model({ files: {}, threads: 2, slots: 1 }))).toBe(1)
  })

  test.each([
    ['files', { files: { model: 'b.onnx' } }, 1],
    ['threads', { threads: 8 }, 1],
    ['slots', { slots: 2 }, 2],
    ['a directory', { model_dir: 'n' }, 1],
  ])('are those of both models where one has %s of its own, as both are opened', (_what, changes, slots) => {
    expect(slotsOf(model(), model(changes))).toBe(1 + slots)
  })
})

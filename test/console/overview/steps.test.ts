import { expect, test } from 'vitest'
import { progressOf } from '../../../src/console/overview/steps.ts'

const SCHEMA = { required: ['text', 'voice'], properties: { text: { type: 'string' }, voice: { type: 'string' } } }
const voices = ['bruno', 'aria', 'nora'].map((slug) => ({
  slug,
  name: slug,
  language: slug === 'bruno' ? 'German' : 'English',
}))
const endpoint = { slug: 'tts', name: 'Speech', voiceInput: 'voice', schema: SCHEMA, isServed: true, voices }
const job = (id: string, voice: string) => ({ node: { __typename: 'VoiceJob' as const, id, voice } })
const nothing = { myEndpoints: [endpoint], spoken: { edges: [] } }
const doneOf = (steps: ReturnType<typeof progressOf>) =>
  Object.fromEntries(Object.entries(steps).map(([name, step]) => [name, step?.isDone]))

test('a member takes one step: to hear two voices', () => {
  expect(doneOf(progressOf(nothing))).toEqual({
    voices: false,
    key: undefined,
    delivery: undefined,
    natural: undefined,
  })
  const twice = { edges: [job('1', 'aria'), job('2', 'aria')] }
  expect(progressOf({ ...nothing, spoken: twice }).voices.isDone).toBe(false)
  const two = { edges: [job('1', 'aria'), job('2', 'nora')] }
  expect(progressOf({ ...nothing, spoken: two }).voices.isDone).toBe(true)
})

test('the key of the first start ticks nothing off, a key of a user does', () => {
  const keys = (...makers: (string | null)[]) => ({
    edges: makers.map((id, index) => ({ node: { id: String(index), createdBy: id === null ? null : { id } } })),
  })
  const owners = { ...nothing, webhookDeliveries: { edges: [] } }
  expect(doneOf(progressOf({ ...owners, apiKeys: keys(null) }))).toMatchObject({ key: false, delivery: false })
  expect(progressOf({ ...owners, apiKeys: keys('user_1', null) }).key).toEqual({ isDone: true })
})

test('a voice is natural where its engine is none of the built-in ones', () => {
  const of = (...kinds: string[]) =>
    progressOf({ ...nothing, myEndpoints: kinds.map((kind) => ({ ...endpoint, settings: { engine: { kind } } })) })
  expect([of('espeak', 'flite').natural, of('espeak', 'sherpa').natural]).toEqual([{ isDone: false }, { isDone: true }])
})

test('two voices of the text are heard, by an endpoint that is served and asks for nothing else', () => {
  const unserved = { ...endpoint, slug: 'away', isServed: false }
  const asking = {
    ...endpoint,
    slug: 'asking',
    schema: { ...SCHEMA, required: ['text', 'mood'], properties: { mood: {} } },
  }
  const { speaker } = progressOf({ ...nothing, myEndpoints: [unserved, asking, endpoint] }).voices
  expect([speaker?.endpoint.slug, speaker?.voices.map(({ slug }) => slug)]).toEqual(['tts', ['aria', 'nora']])
  expect(progressOf({ ...nothing, myEndpoints: [unserved] }).voices.speaker).toBeNull()
})

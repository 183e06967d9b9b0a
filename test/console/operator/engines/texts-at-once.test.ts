import { expect, test } from 'vitest'
import { textsAtOnce } from '../../../../src/console/operator/engines/texts-at-once.ts'

type Engine = Parameters<typeof textsAtOnce>[0][number]

const engine = (slug: string, kind: string, address: string | null, hosts: readonly (string | null)[] = [null]) =>
  ({
    ...{ kind, pool: kind, endpoint: { slug, name: slug, voices: [] } },
    servers: hosts.map((host) => ({ address, host, slots: 4, slotsInUse: 1 })),
  }) as unknown as Engine

test('texts at once are those of each server, however many endpoints share it', () => {
  const shared = ['a', 'b', 'c'].map((slug) => engine(slug, 'openai-speech', 'http://gpu:8000'))
  expect(textsAtOnce([...shared, engine('d', 'openai-speech', 'http://other:8000')])).toEqual({ inUse: 2, slots: 8 })
})

test('the built-in engine counts once, each model and each server of a worker counts for itself', () => {
  const built = ['a', 'b'].map((slug) => engine(slug, 'espeak', null))
  const models = ['c', 'd'].map((slug) => engine(slug, 'sherpa-onnx', null))
  const owned = engine('e', 'openai-speech', 'worker', ['first', 'second'])
  expect(textsAtOnce([...built, ...models, owned])).toEqual({ inUse: 5, slots: 20 })
})

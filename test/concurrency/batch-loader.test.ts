import { describe, expect, test } from 'vitest'
import { BatchLoader } from '../../src/concurrency/batch-loader.ts'

/** Loads the length of each key that has one. */
function openLengths() {
  const batches: (readonly string[])[] = []
  const loader = new BatchLoader<object, number>(async (_scope, keys) => {
    batches.push(keys)
    return new Map(keys.filter((key) => key !== '').map((key) => [key, key.length]))
  })
  return { batches, loader }
}

describe('BatchLoader', () => {
  test('loads together what is asked for in one turn, each key once', async () => {
    const { batches, loader } = openLengths()
    const scope = {}
    const values = await Promise.all(['a', 'bb', 'a', ''].map((key) => loader.load(scope, key)))
    expect(values).toEqual([1, 2, 1, undefined])
    expect(batches).toEqual([['a', 'bb', '']])
  })

  test('keeps scopes apart', async () => {
    const { batches, loader } = openLengths()
    await Promise.all([loader.load({}, 'a'), loader.load({}, 'b')])
    expect(batches).toEqual([['a'], ['b']])
  })

  test('remembers nothing', async () => {
    const { batches, loader } = openLengths()
    const scope = {}
    await loader.load(scope, 'a')
    await loader.load(scope, 'a')
    expect(batches).toEqual([['a'], ['a']])
  })

  test('fails each call of a batch that could not be loaded', async () => {
    const loader = new BatchLoader(() => Promise.reject(new Error('gone')))
    const scope = {}
    const settled = await Promise.allSettled([loader.load(scope, 'a'), loader.load(scope, 'b')])
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })
})

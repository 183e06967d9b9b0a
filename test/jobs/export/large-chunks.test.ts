import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { largeChunks } from '../../../src/jobs/export/large-chunks.ts'

const gather = async (texts: readonly string[], leastBytes: number): Promise<string[]> => {
  const chunks = Readable.from(texts.map((text) => Buffer.from(text)))
  return readAll(largeChunks(chunks, leastBytes))
}

async function readAll(chunks: AsyncIterable<Buffer>): Promise<string[]> {
  const texts: string[] = []
  for await (const chunk of chunks) texts.push(chunk.toString())
  return texts
}

describe('large chunks', () => {
  test('hold at least so many bytes, but for the last one, in their order', async () => {
    expect(await gather(['a', 'bc', 'd', 'efghi', 'j'], 3)).toEqual(['abc', 'defghi', 'j'])
    expect(await gather(['abc', 'def'], 3)).toEqual(['abc', 'def'])
  })

  test('are none where nothing comes', async () => {
    expect(await gather([], 3)).toEqual([])
  })

  test('break off with what they are made of', async () => {
    const broken = async function* () {
      yield Buffer.from('begun')
      throw new Error('lost')
    }
    await expect(readAll(largeChunks(broken(), 1_000))).rejects.toThrow('lost')
  })
})

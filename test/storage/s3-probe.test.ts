import { expect, test } from 'vitest'
import { probeBucket } from '../../src/storage/s3.ts'
import type { Send } from '../../src/storage/s3-sender.ts'

const urlOf = (key: string): string => `http://store.test/audio/${key}`
const silent = (signal: AbortSignal | undefined) =>
  new Promise<never>((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
/** Its answer begins, and has no end. */
const endless = (signal: AbortSignal | undefined) =>
  new Response(new ReadableStream({ start: (body) => void silent(signal).catch((error) => body.error(error)) }))

test.each<[string, Send]>([
  ['no answer', async ({ signal }) => silent(signal)],
  ['an answer without an end', async ({ signal }) => endless(signal)],
])('a store that gives %s keeps no start waiting', async (_what, send) => {
  await expect(probeBucket(send, urlOf, undefined, 20)).rejects.toThrow('S3 does not answer within 0.02 s.')
})

import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { MAX_FILE_BYTES, parseForm } from '../../src/http/multipart-body.ts'

const TYPE = 'multipart/form-data; boundary=between'
const field = (name: string, value: string) =>
  Buffer.from(`--between\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
const file = (content: Buffer) =>
  Buffer.concat([
    Buffer.from('--between\r\ncontent-disposition: form-data; name="f"; filename="f"\r\n\r\n'),
    content,
    Buffer.from('\r\n'),
  ])
const END = Buffer.from('--between--\r\n')
const TINY = field('a', '')
/** One more than a form may have. */
const FEW = Array.from({ length: 21 }, (_, at) => field(`a${at}`, ''))

describe('a form', () => {
  test('of ten megabytes comes whole, whatever its bytes', async () => {
    const content = Buffer.concat([randomBytes(MAX_FILE_BYTES - 40_000), Buffer.from('\r\n--betwee'.repeat(3600))])
    const { fields, files } = await parseForm(Buffer.concat([field('a', 'é'), file(content), END]), TYPE)
    expect(fields).toEqual({ a: 'é' })
    expect(content.equals(files.f!)).toBe(true)
  })

  test.each([
    ['parts', Buffer.concat([...FEW, Buffer.alloc(MAX_FILE_BYTES, TINY)]), /well-formed/],
    [
      'parts behind one that is repeated',
      Buffer.concat([TINY, Buffer.alloc(MAX_FILE_BYTES, TINY)]),
      /once|well-formed/,
    ],
    ['a file that is too large', file(Buffer.alloc(MAX_FILE_BYTES + 60_000)), /at most 10 MiB/],
  ])('of ten megabytes of %s is refused, and the rest of it is not read', async (_what, bytes, message) => {
    const begun = process.cpuUsage()
    await expect(parseForm(bytes, TYPE)).rejects.toThrow(message)
    const { user, system } = process.cpuUsage(begun)
    expect((user + system) / 1000).toBeLessThan(250)
  })

  test.each([Buffer.from(''), Buffer.from('--between'), file(Buffer.from('cut')), Buffer.from('\r\n')])(
    'that is cut off or empty is no form',
    async (bytes) => {
      await expect(parseForm(bytes, TYPE)).rejects.toThrow('well-formed')
    },
  )
})

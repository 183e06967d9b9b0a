import { expect, test } from 'vitest'
import { collectOutputs } from '../../src/generation/collect-outputs.ts'

const SOURCE = {} as Parameters<typeof collectOutputs>[1]
const MB = 1_000_000
const filesOf = async (output: unknown): Promise<Buffer[]> => {
  const files: Buffer[] = []
  for await (const { content } of collectOutputs(output, SOURCE)) files.push(content as Buffer)
  return files
}

test.each([1, 20 * MB, 20 * MB + 1, 20 * MB + 2])('a data URL of %d bytes is the file that it holds', async (size) => {
  const content = Buffer.alloc(size, 'sonant')
  const [file, bare] = await filesOf([
    `data:image/png;base64,${content.toString('base64')}`,
    `data:image/png;base64,${content.toString('base64').replaceAll('=', '')}`,
  ])
  expect([file?.equals(content), bare?.equals(content)]).toEqual([true, true])
})

test.each(['!!!', 'a', 'abcde', 'ab=', 'abc==', 'abcd=', 'ab=c', '====', 'a b='])(
  'a data URL of %j is broken',
  async (text) => {
    await expect(filesOf(`data:image/png;base64,${text}`)).rejects.toThrow(/broken data URL|is empty/)
  },
)

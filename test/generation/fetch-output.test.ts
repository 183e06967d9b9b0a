import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseCidr } from '../../src/egress/ip-ranges.ts'
import { systemResolver } from '../../src/egress/resolver.ts'
import { fetchOutput } from '../../src/generation/fetch-output.ts'
import { type NameServer, startNameServer } from '../setup/servers/name-server.ts'

const ANY = ['0.0.0.0/0', '::/0'].map(parseCidr)

describe('an output on a name that leads to a private address', () => {
  let server: Server
  let names: NameServer
  let connections = 0
  beforeAll(async () => {
    names = await startNameServer(({ aliasTo }) => aliasTo([127, 0, 0, 1]))
    server = createServer((socket) => {
      connections++
      socket
        .on('error', () => undefined)
        .resume()
        .end('no TLS here', () => socket.destroy())
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  })
  afterAll(() => {
    names.close()
    return new Promise((resolve) => server.close(resolve))
  })

  const open = (egressAllow: typeof ANY) => {
    const url = `https://files.example.com:${(server.address() as AddressInfo).port}/a.png`
    const resolver = systemResolver([names.address])
    const signal = AbortSignal.timeout(20_000)
    return fetchOutput(url, { baseUrl: 'http://cog.example.com', egressAllow, resolver, signal })
  }

  it('is never connected to, unless EGRESS_ALLOW covers the address', async () => {
    await expect(open([])).rejects.toMatchObject({
      code: 'PROVIDER_UNAVAILABLE',
      cause: { message: 'the name resolves to a private or reserved address' },
    })
    expect(connections).toBe(0)
    // Only so is the refusal above known to be the guard's: the same address is reached, and fails at TLS.
    await expect(open(ANY)).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' })
    expect(connections).toBe(1)
  })
})

describe("an output on the engine's own origin", () => {
  it('is looked up by the system, and fetched from wherever it says', async () => {
    const server = createHttpServer((_request, response) => response.end('a picture'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const baseUrl = `http://localhost:${(server.address() as AddressInfo).port}`
    const source = { baseUrl, egressAllow: [], resolver: systemResolver([]), signal: AbortSignal.timeout(20_000) }
    const { content } = await fetchOutput(`${baseUrl}/a.png`, source)
    expect(Buffer.concat(await content.toArray()).toString()).toBe('a picture')
    await new Promise((resolve) => server.close(resolve))
  })

  it.each<[string, (content: string) => Buffer]>([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
    ['deflate, GZIP', (content) => gzipSync(deflateSync(content))],
    ['identity', (content) => Buffer.from(content)],
  ])('is read with the Content-Encoding %s, and breaks off where that is cut', async (encoding, compress) => {
    const bytes = compress('a picture '.repeat(1000))
    const server = createHttpServer(({ url }, response) => {
      const sent = url === '/cut' ? bytes.subarray(0, bytes.length - 9) : bytes
      response.writeHead(200, { 'content-encoding': encoding }).end(sent)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const source = { baseUrl, egressAllow: [], resolver: systemResolver([]), signal: AbortSignal.timeout(20_000) }
    const read = async (path: string) => (await fetchOutput(baseUrl + path, source)).content.toArray()
    expect(Buffer.concat(await read('/a')).toString()).toBe('a picture '.repeat(1000))
    if (encoding !== 'identity') await expect(read('/cut')).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' })
    await new Promise((resolve) => server.close(resolve))
  })
})

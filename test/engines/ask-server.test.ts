import { execFile } from 'node:child_process'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { getGlobalDispatcher, MockAgent, setGlobalDispatcher } from 'undici'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { askServer } from '../../src/engines/ask-server.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
const SCRIPT = `
import { askServer } from './src/engines/ask-server.ts'
const ask = (url) => askServer({ url, what: 'a test', signal: AbortSignal.timeout(20_000), maxBytes: 1000 })
const answers = []
for (const url of process.argv.slice(1)) answers.push(await ask(url).catch((error) => error.message))
process.stdout.write(JSON.stringify(answers))
process.exit()
`

const portOf = (server: Server): number => (server.address() as AddressInfo).port
const ask = (url: string) =>
  askServer({ url, what: 'a test', signal: AbortSignal.timeout(20_000), maxBytes: 1000 }).catch(
    (error: Error) => error.message,
  )

describe('a request to a server that the operator configured', () => {
  const server = createServer((_request, response) => response.writeHead(200, JSON_TYPE).end('"the server"'))
  const proxy = createServer((_request, response) => response.writeHead(200, JSON_TYPE).end('"the proxy"'))
  beforeAll(async () => {
    for (const one of [server, proxy]) await new Promise<void>((resolve) => one.listen(0, '127.0.0.1', resolve))
  })
  afterAll(async () => {
    for (const one of [server, proxy]) {
      one.closeAllConnections()
      await new Promise((resolve) => one.close(resolve))
    }
  })
  const before = getGlobalDispatcher()
  afterEach(() => setGlobalDispatcher(before))

  test('is sent through the proxy of the environment where Node.js takes that, and past it where NO_PROXY says so', async () => {
    const places = ['http://moderation.test/', `http://engine.localhost:${portOf(server)}/`]
    const answersBy = async (env: Record<string, string>) => {
      const args = ['--input-type=module', '-e', SCRIPT, ...places]
      const { stdout } = await promisify(execFile)(process.execPath, args, { env })
      return JSON.parse(stdout) as string[]
    }
    const env = { HTTP_PROXY: `http://127.0.0.1:${portOf(proxy)}`, NO_PROXY: 'engine.localhost' }
    expect(await answersBy({ ...env, NODE_USE_ENV_PROXY: '1' })).toEqual(['the proxy', 'the server'])
    expect(await answersBy(env)).toEqual([expect.stringMatching(/^moderation.test did not answer: /), 'the server'])
  })

  test('is sent by the dispatcher of the process where that is of another kind', async () => {
    const mock = new MockAgent()
    mock.disableNetConnect()
    mock.get('http://engine.test').intercept({ path: '/', method: 'POST' }).reply(200, '"the dispatcher"')
    setGlobalDispatcher(mock)
    expect(await ask('http://engine.test/')).toBe('the dispatcher')
    await mock.close()
  })

  test('finds its server as the system does where the dispatcher is the default', async () => {
    expect(await ask(`http://engine.localhost:${portOf(server)}/`)).toBe('the server')
  })
})

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openLog } from '../../../src/values/log.ts'

// A process that logs a hundred lines of a kilobyte for each request; `/exit` and `/crash` end it after that.
const log = openLog('info')
const text = 'x'.repeat(1000)
let sent = 0
const write = (count: number): void => {
  for (let line = 0; line < count; line++) log.info({ line: ++sent }, text)
}
const server = createServer(({ url = '' }, response) => {
  write(100)
  response.end(String(sent))
  if (url === '/exit') process.exit(0)
  if (url === '/crash') throw new Error('crashed on purpose')
})
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))

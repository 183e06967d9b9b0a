import type { Client } from 'pg'

export const POLL_MS = 5_000
const SILENT_POLLS = 3

interface Wire {
  readonly readyForQuery: boolean | undefined
  readonly connection: { readonly stream: { readonly bytesRead: number; destroy(error: Error): void } }
}

interface SilenceOptions {
  readonly everyMs?: number | undefined
  readonly ask?: (() => Promise<unknown>) | undefined
}

/**
 * Ends a connection from which nothing came for 15 to 20 s although it was polled. TCP keep-alive misses a hanging proxy. Only for
 * connections with short statements.
 */
export function endSilent(client: Client, { everyMs = POLL_MS, ask }: SilenceOptions = {}): void {
  const wire = client as unknown as Wire
  const { stream } = wire.connection
  const askSelf = ask ?? (() => client.query('select'))
  let [received, polls, isAsked] = [stream.bytesRead, 0, false]
  const poll = (): void => {
    polls = stream.bytesRead === received ? polls + 1 : 0
    received = stream.bytesRead
    if (polls >= SILENT_POLLS) stream.destroy(new Error('Connection terminated: the server does not answer any more'))
    if (polls !== 1 || isAsked || wire.readyForQuery === false) return
    isAsked = true
    const answered = (): void => {
      isAsked = false
    }
    askSelf().then(answered, answered)
  }
  const timer = setInterval(poll, everyMs).unref()
  client.once('end', () => clearInterval(timer))
}

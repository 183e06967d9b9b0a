import type { Client } from 'pg'

export const POLL_MS = 5_000
/** So many polls with nothing received in between, the first of which asked for a sign of life. */
const SILENT_POLLS = 3

/** What the driver knows of a connection; its types do not name it. */
interface Wire {
  /** false while a statement runs. */
  readonly readyForQuery: boolean | undefined
  readonly connection: { readonly stream: { readonly bytesRead: number; destroy(error: Error): void } }
}

/** What a connection is asked by, and how often; each has its own default. */
interface SilenceOptions {
  readonly everyMs?: number | undefined
  /** Has the server answer something, whatever it is: behind what the connection is asked already. Absent: an empty statement. */
  readonly ask?: (() => Promise<unknown>) | undefined
}

/**
 * Ends a connection that is kept for what it has, notifications or a lock, and not for statements, once nothing has come from it for so long though
 * it was asked: 15 s after the last sign of life at the earliest, 20 s at the latest. TCP's keep-alive notices a machine that is gone after about as long, but
 * neither a proxy that hangs nor a peer that is gone while bytes are on their way to it. Only for connections whose statements are all short.
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
    // A statement under way asks already.
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

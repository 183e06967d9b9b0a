const WORDS: Readonly<Record<string, string>> = {
  succeeded: 'Accepted by the receiver',
  timeout: 'The receiver took longer than 10 s',
  dns_failed: 'There is no server of that name',
  address_refused: 'The address is private or reserved',
  port_refused: 'The port is not allowed',
  connect_failed: 'No connection to the receiver',
  tls_failed: 'The certificate was not accepted',
  connection_closed: 'The receiver closed the connection',
  bad_response: 'The answer is not valid HTTP',
  interrupted: 'The worker stopped during the attempt',
  expired: 'Expired before the next attempt',
  secret_unreadable: 'The signing secret cannot be read: Webhooks says what to do',
}

/** Outcomes besides the status that a receiver rejected with. */
export const OUTCOMES: readonly string[] = Object.keys(WORDS)

/** An attempt's outcome in words. */
export function outcomeWords(outcome: string | null): string {
  if (outcome === null) return 'In progress'
  const status = /^status_(\d{3})$/.exec(outcome)?.[1]
  return status === undefined ? (WORDS[outcome] ?? outcome) : `The receiver answered ${status}`
}

const WORDS: Readonly<Record<string, string>> = {
  succeeded: 'Taken by the receiver',
  timeout: 'The receiver took longer than 10 s',
  dns_failed: 'Its name does not resolve',
  address_refused: 'Its address is private or reserved',
  port_refused: 'Its port is not allowed',
  connect_failed: 'No connection to the receiver',
  tls_failed: 'Its certificate was not accepted',
  connection_closed: 'The receiver hung up',
  bad_response: 'Its answer is no HTTP',
  interrupted: 'The worker was stopped meanwhile',
  expired: 'It was not tried again in time',
  secret_unreadable: 'The secret does not open: an operator runs sonant secrets rekey',
}

/** What became of an attempt, for readers. */
export function outcomeWords(outcome: string | null): string {
  if (outcome === null) return 'Under way'
  const status = /^status_(\d{3})$/.exec(outcome)?.[1]
  return status === undefined ? (WORDS[outcome] ?? outcome) : `The receiver answered ${status}`
}

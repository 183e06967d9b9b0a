interface TimeLimit {
  readonly signal: AbortSignal
  close(): void
}

/**
 * Aborts after `ms` unless it is closed first. With `AbortSignal.timeout` Node.js would keep every signal that follows it until the
 * time is over, which may be hours after the work.
 */
export function timeLimit(ms: number): TimeLimit {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(new DOMException('The time is over.', 'TimeoutError')), ms).unref()
  return { signal: controller.signal, close: () => clearTimeout(timer) }
}

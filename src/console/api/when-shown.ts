/** Calls at once, or, in a tab that is hidden, as soon as it is looked at. @returns stops waiting for that */
export function whenShown(call: () => void): () => void {
  const onChange = (): void => {
    if (document.hidden) return
    stop()
    call()
  }
  const stop = (): void => document.removeEventListener('visibilitychange', onChange)
  if (document.hidden) document.addEventListener('visibilitychange', onChange)
  else call()
  return stop
}

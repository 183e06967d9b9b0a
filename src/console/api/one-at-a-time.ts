/**
 * Runs it once at a time. @returns what asks for a run; `isNews`: of what one under way may not have seen, so that it is repeated then
 */
export function oneAtATime(run: () => Promise<void>): (isNews?: boolean) => Promise<void> {
  let isRunning = false
  let isChanged = false
  return async (isNews = false) => {
    if (isRunning) {
      isChanged ||= isNews
      return
    }
    isRunning = true
    do {
      isChanged = false
      await run()
    } while (isChanged)
    isRunning = false
  }
}

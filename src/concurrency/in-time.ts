/**
 * Waits for an answer at most `ms`.
 * @param late makes the result, or throws the error, after that time
 */
export async function inTime<Answer, Late>(
  ms: number,
  answer: Promise<Answer>,
  late: () => Late,
): Promise<Answer | Late> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  return Promise.race([answer, promise.then(late)]).finally(() => clearTimeout(timer))
}

/** A command line for the machine that runs the service: the page says how the command is called there. */
export function serviceCommand(args: string): string {
  // Tests of sentences have no document.
  const meta = globalThis.document?.querySelector<HTMLMetaElement>('meta[name="sonant-command"]')
  return `${meta?.content ?? 'npx sonant'} ${args}`
}

/** As a shell takes it, whatever is in it. */
export const quoted = (text: string): string =>
  /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

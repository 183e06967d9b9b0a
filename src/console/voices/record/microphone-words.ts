const RECORD_ELSEWHERE = 'You can also record in another program and upload the file.'

/** Says in plain words why the microphone cannot be used, and what to do. @param name of the browser's error */
export function microphoneWords(name: string): string {
  switch (name) {
    case 'InsecurePage':
      return `The browser lets no page without https:// use the microphone: open the console by an address with https://, or as localhost on the machine that runs it. ${RECORD_ELSEWHERE}`
    case 'NotAllowedError':
    case 'SecurityError':
      return 'The browser does not let this page use the microphone: allow it at the sign beside the address, and try again. The system’s settings may forbid it as well.'
    case 'NotFoundError':
    case 'OverconstrainedError':
      return `No microphone was found: connect one and try again. ${RECORD_ELSEWHERE}`
    case 'NotReadableError':
    case 'AbortError':
      return 'The microphone is in use by another program, or the system holds it back: close that program and try again.'
    case 'Unplugged':
      return 'The microphone was taken away while it recorded: connect it or choose another one, and record again.'
    default:
      return `The microphone cannot be used here. Try again, or use another browser. ${RECORD_ELSEWHERE}`
  }
}

// A line for each request would hide what a failing test prints. A test that looks at the log gets it.
const print = console.log
console.log = (...values: unknown[]) => {
  if (!String(values[0]).startsWith('{"message":"request"')) print(...values)
}
